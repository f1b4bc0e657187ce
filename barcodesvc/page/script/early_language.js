/** Asks for the texts while the other scripts are still on their way: which language it is, only a script knows. */

import { speak } from './language.js'
import { settings } from './settings.js'

void speak(settings().language || navigator.language)
