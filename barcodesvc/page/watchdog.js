/**
 * Reports that the page does not load if its modules do not arrive: the service has another version, or the network is gone.
 * Its own address is the same in every version.
 */

/** Milliseconds that the page may take, on a slow phone too. */
const PATIENCE = 10_000

setTimeout(() => {
  const says = document.getElementById('unloaded')
  if (!says || document.body.dataset['view']) return
  says.hidden = false
  says.querySelector('button')?.addEventListener('click', () => location.reload())
}, PATIENCE)
