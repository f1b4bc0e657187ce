/** The texts that labels and the kiosk need besides, in German. */

export default {
  layout: 'Vorlage',
  'layout.new': 'Neue Vorlage',
  'layout.save-as': 'Speichern unter …',
  'layout.saved': 'Die Vorlage {name} ist gespeichert.',
  'layout.name': 'Name',
  'layout.name.title': 'Vorlage speichern unter',
  'layout.name.rule':
    'Buchstaben A–Z, Ziffern, Punkte, Binde- und Unterstriche, bis zu 64. Ein Kiosk kann mit diesem Namen drucken.',
  'layout.name.wrong': 'Bitte geben Sie einen Namen mit Buchstaben A–Z oder Ziffern ein.',
  'layout.name.taken': 'Es gibt schon eine Vorlage namens {name}.',
  'layout.delete.title': 'Vorlage {name} löschen?',
  'layout.delete.why': 'Kioske und Programme, die mit ihr drucken, drucken dann nichts mehr.',

  'labels.placeholders':
    'Wird für jedes Etikett ausgefüllt: {description}, {detail} (eine Angabe des Artikels), {number} (die Nummer), {date} (der Tag in einer Woche).',
  'labels.sheet.of-layout': 'Wie in der Vorlage',
  'labels.preview': 'Vorschau',
  'labels.preview.of': 'Die Etiketten, wie sie gedruckt werden',

  'unprintable.gone': '{name} gibt es nicht mehr. Bitte laden Sie die Seite neu.',
  'unprintable.attribute': 'Der Artikel {code} hat keine Angabe „{name}“.',
  'unprintable.placeholder': 'Für {code} gibt es nichts, was {placeholder} ausfüllt.',
  'unprintable.no-placeholder': '{placeholder} kann der Dienst nicht ausfüllen.',

  'prints.title': 'Noch einmal drucken',
  'prints.again': 'Noch einmal',
  'prints.further.one': '{count} weiterer',
  'prints.further.other': '{count} weitere',

  'kiosk.title': 'Etiketten drucken',
  'kiosk.full-screen': 'Vollbild',
  'kiosk.too-many': 'Sie können höchstens {most} Etiketten drucken. Bitte geben Sie die Zahl noch einmal ein.',
  'kiosk.scan': 'Scannen Sie einen Artikel',
  'kiosk.printing': 'Wird gedruckt …',
  'kiosk.done': 'Fertig',
  'kiosk.instead': 'Um stattdessen {product} zu drucken, scannen Sie den Artikel noch einmal.',
  'kiosk.sheet.wrong': 'Einen Bogen {sheet} gibt es nicht.',
  'kiosk.layout.wrong': 'Es gibt keine Vorlage namens {layout}.',
  'kiosk.address.layouts': 'Bitte berichtigen Sie die Adresse dieser Seite. Gespeicherte Vorlagen:',
  'kiosk.symbology.wrong': 'Eine Symbologie {symbology} gibt es nicht.',
  'kiosk.address': 'Bitte korrigieren Sie die Adresse dieser Seite. Möglich sind Rollen wie 50x30mm und diese Bögen:',
}
