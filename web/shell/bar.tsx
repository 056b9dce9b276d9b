import { useCell } from '../state/cell.ts';
import { useNow } from '../state/clock.ts';
import { connection } from '../state/connection.ts';
import { server } from '../state/server.ts';
import { duration } from '../words/amounts.ts';
import { openHelp } from './help.tsx';
import { Link, type Route } from './router.tsx';
import { isDark, theme, toggleTheme } from './theme.ts';

const places = [
  { to: '/', name: 'Loops', views: ['fleet', 'loop', 'iteration'] },
  { to: '/report', name: 'Last night', views: ['report'] },
  { to: '/numbers', name: 'Numbers', views: ['numbers'] },
] as const;

/** The bar on top of every view. */
export function Bar({ route }: { readonly route: Route }) {
  const info = useCell(server);
  return (
    <header class="bar">
      <div class="bar-inside">
        <Link to="/" class="brand">
          ralphd
        </Link>
        <nav aria-label="Views">
          {places.map(({ to, name, views }) => (
            <Link
              key={to}
              to={to}
              class="place"
              aria-current={(views as readonly string[]).includes(route.view) ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        <span class="host">{info?.host}</span>
        <Standing />
        <ThemeButton />
        <button
          type="button"
          class="icon-button"
          aria-label="Keys and help"
          title="Keys and help (?)"
          onClick={openHelp}
        >
          ?
        </button>
      </div>
    </header>
  );
}

/** Whether what is shown is true right now. */
function Standing() {
  const { phase, heardAtMs } = useCell(connection);
  const nowMs = useNow();
  const age = duration(Math.max(1_000, nowMs - heardAtMs));
  const text = { loading: 'Connecting', live: 'Live', lost: 'Lost', expired: 'Signed out' }[phase];
  return (
    <span class={`standing standing-${phase}`}>
      <span class="dot" aria-hidden="true" />
      <span>
        {text}
        {(phase === 'live' || phase === 'lost') && <span class="age">, {age} ago</span>}
      </span>
    </span>
  );
}

function ThemeButton() {
  useCell(theme);
  const other = isDark() ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="icon-button theme-button"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={toggleTheme}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path
          d="M13.5 10A6 6 0 0 1 6 2.5a6 6 0 1 0 7.5 7.5Z"
          fill="none"
          stroke="currentColor"
          stroke-width="1.6"
          stroke-linejoin="round"
        />
      </svg>
    </button>
  );
}
