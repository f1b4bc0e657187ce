/** The texts that labels and the kiosk need besides, in French. */

export default {
  layout: 'Modèle',
  'layout.new': 'Nouveau modèle',
  'layout.save-as': 'Enregistrer sous…',
  'layout.saved': 'Le modèle {name} est enregistré.',
  'layout.name': 'Nom',
  'layout.name.title': 'Enregistrer le modèle sous',
  'layout.name.rule':
    'Lettres A–Z, chiffres, points, traits d’union et de soulignement, 64 au plus. Une borne peut imprimer avec ce nom.',
  'layout.name.wrong': 'Saisissez un nom avec des lettres A–Z ou des chiffres.',
  'layout.name.taken': 'Il existe déjà un modèle nommé {name}.',
  'layout.delete.title': 'Supprimer le modèle {name} ?',
  'layout.delete.why': 'Les bornes et programmes qui impriment avec lui n’imprimeront plus rien.',

  'labels.placeholders':
    'Rempli pour chaque étiquette : {description}, {detail} (une information du produit), {number} (son numéro), {date} (le jour dans une semaine).',
  'labels.sheet.of-layout': 'Comme dans le modèle',
  'labels.preview': 'Aperçu',
  'labels.preview.of': 'Les étiquettes telles qu’elles seront imprimées',

  'unprintable.gone': '{name} n’existe plus. Rechargez la page.',
  'unprintable.attribute': 'Le produit {code} n’a pas l’information « {name} ».',
  'unprintable.placeholder': 'Rien ne remplit {placeholder} pour {code}.',
  'unprintable.no-placeholder': 'Le service ne sait pas remplir {placeholder}.',

  'prints.title': 'Réimprimer',
  'prints.again': 'Réimprimer',
  'prints.further.one': '{count} autre',
  'prints.further.other': '{count} autres',

  'kiosk.title': 'Imprimer des étiquettes',
  'kiosk.full-screen': 'Plein écran',
  'kiosk.too-many': 'Vous pouvez imprimer au plus {most} étiquettes. Saisissez à nouveau le nombre.',
  'kiosk.scan': 'Scannez un produit',
  'kiosk.printing': 'Impression…',
  'kiosk.done': 'Terminé',
  'kiosk.instead': 'Pour imprimer plutôt {product}, scannez-le à nouveau.',
  'kiosk.sheet.wrong': 'Aucune planche ne s’appelle {sheet}.',
  'kiosk.layout.wrong': 'Il n’y a pas de modèle nommé {layout}.',
  'kiosk.address.layouts': 'Corrigez l’adresse de cette page. Modèles enregistrés :',
  'kiosk.symbology.wrong': 'Aucune symbologie ne s’appelle {symbology}.',
  'kiosk.address': 'Corrigez l’adresse de cette page. Planches possibles, en plus des rouleaux comme 50x30mm :',
}
