/** The texts that labels and the kiosk need besides, in English. */

export default {
  layout: 'Layout',
  'layout.new': 'New layout',
  'layout.save-as': 'Save as …',
  'layout.saved': 'The layout {name} is saved.',
  'layout.name': 'Name',
  'layout.name.title': 'Save the layout as',
  'layout.name.rule': 'Letters A–Z, digits, dots, hyphens and underscores, up to 64. A kiosk can print with this name.',
  'layout.name.wrong': 'Please enter a name with letters A–Z or digits.',
  'layout.name.taken': 'There is already a layout called {name}.',
  'layout.delete.title': 'Delete the layout {name}?',
  'layout.delete.why': 'Kiosks and programs that print with it will print nothing.',

  'labels.placeholders':
    'Filled in for each label: {description}, {detail} (a detail of the product), {number} (its number), {date} (the day in a week).',
  'labels.sheet.of-layout': 'As in the layout',
  'labels.preview': 'Preview',
  'labels.preview.of': 'The labels as they will be printed',

  'unprintable.gone': '{name} no longer exists. Please reload the page.',
  'unprintable.attribute': 'The product {code} has no detail “{name}”.',
  'unprintable.placeholder': 'Nothing fills {placeholder} for {code}.',
  'unprintable.no-placeholder': '{placeholder} is not something that the service can fill in.',

  'prints.title': 'Print again',
  'prints.again': 'Print again',
  'prints.further.one': '{count} more',
  'prints.further.other': '{count} more',

  'kiosk.title': 'Print labels',
  'kiosk.full-screen': 'Full screen',
  'kiosk.too-many': 'You can print at most {most} labels. Please type the number again.',
  'kiosk.scan': 'Scan a product',
  'kiosk.printing': 'Printing …',
  'kiosk.done': 'Done',
  'kiosk.instead': 'To print {product} instead, scan it again.',
  'kiosk.sheet.wrong': 'There is no sheet called {sheet}.',
  'kiosk.layout.wrong': 'There is no layout called {layout}.',
  'kiosk.address.layouts': 'Please correct the address of this page. Saved layouts:',
  'kiosk.symbology.wrong': 'There is no symbology called {symbology}.',
  'kiosk.address': 'Please correct the address of this page. Sheets you can name, besides rolls such as 50x30mm:',
}
