/** Requests the texts while the other scripts are still loading: only a script knows the language. */

import { speak } from './language.js'
import { settings } from './settings.js'

void speak(settings().language || navigator.language)
