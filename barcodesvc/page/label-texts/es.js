/** The texts that labels and the kiosk need besides, in Spanish. */

export default {
  layout: 'Diseño',
  'layout.new': 'Diseño nuevo',
  'layout.save-as': 'Guardar como…',
  'layout.saved': 'El diseño {name} está guardado.',
  'layout.name': 'Nombre',
  'layout.name.title': 'Guardar el diseño como',
  'layout.name.rule':
    'Letras A–Z, cifras, puntos, guiones y guiones bajos, hasta 64. Un quiosco puede imprimir con este nombre.',
  'layout.name.wrong': 'Escriba un nombre con letras A–Z o cifras.',
  'layout.name.taken': 'Ya hay un diseño llamado {name}.',
  'layout.delete.title': '¿Eliminar el diseño {name}?',
  'layout.delete.why': 'Los quioscos y programas que imprimen con él ya no imprimirán nada.',

  'labels.placeholders':
    'Se rellena en cada etiqueta: {description}, {detail} (un dato del producto), {number} (su número), {date} (el día dentro de una semana).',
  'labels.sheet.of-layout': 'Como en el diseño',
  'labels.preview': 'Vista previa',
  'labels.preview.of': 'Las etiquetas tal como se imprimirán',

  'unprintable.gone': '{name} ya no existe. Vuelva a cargar la página.',
  'unprintable.attribute': 'El producto {code} no tiene el dato «{name}».',
  'unprintable.placeholder': 'Nada rellena {placeholder} para {code}.',
  'unprintable.no-placeholder': 'El servicio no puede rellenar {placeholder}.',

  'prints.title': 'Imprimir otra vez',
  'prints.again': 'Otra vez',
  'prints.further.one': '{count} más',
  'prints.further.other': '{count} más',

  'kiosk.title': 'Imprimir etiquetas',
  'kiosk.full-screen': 'Pantalla completa',
  'kiosk.too-many': 'Puede imprimir como máximo {most} etiquetas. Escriba el número de nuevo.',
  'kiosk.scan': 'Escanee un producto',
  'kiosk.printing': 'Imprimiendo…',
  'kiosk.done': 'Listo',
  'kiosk.instead': 'Para imprimir {product} en su lugar, escanéelo otra vez.',
  'kiosk.sheet.wrong': 'No hay ninguna hoja llamada {sheet}.',
  'kiosk.layout.wrong': 'No hay ningún diseño llamado {layout}.',
  'kiosk.address.layouts': 'Corrija la dirección de esta página. Diseños guardados:',
  'kiosk.symbology.wrong': 'No hay ninguna simbología llamada {symbology}.',
  'kiosk.address': 'Corrija la dirección de esta página. Hojas posibles, además de rollos como 50x30mm:',
}
