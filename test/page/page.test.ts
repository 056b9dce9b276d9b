import { closeBrowserAfterwards } from './browser.ts';
import './cases/live.ts';
import './cases/views.ts';
import './cases/states.ts';
import './cases/keyboard.ts';
import './cases/many-pages.ts';

// One file, so that all of them share one browser.
closeBrowserAfterwards();
