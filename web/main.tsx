import { render } from 'preact';
import { App } from './shell/app.tsx';
import { startKeys } from './shell/keys.ts';
import { startRouter } from './shell/router.tsx';
import { startTheme } from './shell/theme.ts';
import { startClock } from './state/clock.ts';
import { signIn } from './state/server.ts';

startTheme();
startRouter();
startKeys();
startClock();
const page = document.querySelector('#page');
if (page !== null) void signIn().finally(() => render(<App />, page));
