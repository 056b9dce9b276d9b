import { FleetView } from '../fleet/fleet-view.tsx';
import { IterationView } from '../iteration/iteration-view.tsx';
import { LoopView } from '../loop/loop-view.tsx';
import { NumbersView } from '../numbers/numbers-view.tsx';
import { copyFocused } from '../parts/command-box.tsx';
import { ReportView } from '../report/report-view.tsx';
import { useCell } from '../state/cell.ts';
import { connection } from '../state/connection.ts';
import { Bar } from './bar.tsx';
import { Help, openHelp } from './help.tsx';
import { useKeys } from './keys.ts';
import { ConnectionNotice, Expired } from './notice.tsx';
import { go, Link, type Route, useRoute } from './router.tsx';
import { useTitle } from './title.ts';

/** The whole page. */
export function App() {
  const route = useRoute();
  const { phase } = useCell(connection);
  useKeys({ '?': openHelp, Escape: () => leave(route), c: copyFocused });
  if (phase === 'expired') return <Expired />;
  return (
    <div class={phase === 'lost' ? 'page page-lost' : 'page'}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Bar route={route} />
      <ConnectionNotice />
      <View route={route} />
      <Help />
    </div>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'fleet':
      return <FleetView />;
    case 'loop':
      return <LoopView key={route.key} loopKey={route.key} />;
    case 'iteration':
      return <IterationView key={`${route.key}/${route.iteration}/${route.attempt}`} place={route} />;
    case 'report':
      return <ReportView key={route.since} since={route.since} />;
    case 'numbers':
      return <NumbersView />;
    case 'unknown':
      return <Unknown />;
  }
}

function Unknown() {
  useTitle('Not found');
  return (
    <main class="content sentence-page" tabIndex={-1} id="main">
      <h1>Nothing is at this address.</h1>
      <p>
        <Link to="/">All loops</Link>
      </p>
    </main>
  );
}

function leave(route: Route): void {
  if (route.view === 'iteration') go(`/loops/${route.key}`);
  else if (route.view !== 'fleet') go('/');
}
