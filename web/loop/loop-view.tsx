import { useEffect, useState } from 'preact/hooks';
import { moveFocus } from '../fleet/focus.ts';
import { Badge } from '../parts/badge.tsx';
import { Loading } from '../parts/loading.tsx';
import { Announced } from '../parts/meter.tsx';
import { clean, Phrase } from '../parts/text.tsx';
import { useKeys } from '../shell/keys.ts';
import { ReadOnly } from '../shell/notice.tsx';
import { go, Link } from '../shell/router.tsx';
import { useTitle } from '../shell/title.ts';
import { useCell } from '../state/cell.ts';
import { useNow } from '../state/clock.ts';
import { type FollowedLoop, followLoop, type ShownLoop } from '../state/loop.ts';
import { isMoving } from '../words/signs.ts';
import { Actions } from './actions.tsx';
import { Checks } from './checks.tsx';
import { GuideBox } from './guide-box.tsx';
import { IterationTable } from './iteration-table.tsx';
import { leadMore, leadText, titleOf } from './lead.ts';
import { Night } from './night/night.tsx';
import { NowPane } from './now-pane.tsx';
import { Problem } from './problem.tsx';
import { Result } from './result.tsx';
import { Rules } from './rules.tsx';
import { useTranscript } from './transcript.ts';

/** One loop: what it does, whether it needs a person, and every iteration so far. */
export function LoopView({ loopKey }: { readonly loopKey: string }) {
  const [followed, setFollowed] = useState<FollowedLoop | undefined>(undefined);
  useEffect(() => {
    const feed = followLoop(loopKey);
    setFollowed(feed);
    return () => feed[Symbol.dispose]();
  }, [loopKey]);
  return (
    <main class="content loop" tabIndex={-1} id="main">
      {followed === undefined ? null : <Followed followed={followed} />}
    </main>
  );
}

function Followed({ followed: { loop, problem } }: { readonly followed: FollowedLoop }) {
  const shown = useCell(loop);
  const found = useCell(problem);
  if (found !== undefined) return <Problem error={found} />;
  return shown === undefined ? <Loading text="Reading the facts …" /> : <Loop shown={shown} />;
}

/** How far the figure moves at once: a young loop has little else to show. */
function figureStepMs({ standing: { view } }: ShownLoop, nowMs: number): number {
  return nowMs - Date.parse(view.startedAt ?? '') > 600_000 ? 10_000 : 1_000;
}

function Loop({ shown }: { readonly shown: ShownLoop }) {
  const [chosen, choose] = useState<number | undefined>(undefined);
  const nowMs = useNow();
  const { standing, history, live, page } = shown;
  const { view } = standing;
  const newest = history.fold.open?.iteration ?? 0;
  useTitle(titleOf(shown));
  const step = (by: number) => choose(Math.min(newest, Math.max(1, (chosen ?? newest) + by)));
  useKeys({
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: () => choose(1),
    End: () => choose(undefined),
    j: () => moveFocus(1, '.iterations a[data-row]'),
    k: () => moveFocus(-1, '.iterations a[data-row]'),
    Enter: () => newest > 0 && go(`/loops/${page.key}/iterations/${chosen ?? newest}`),
  });
  const transcript = useTranscript({ page, iteration: newest, attempt: lastAttemptOf(shown), live });
  const isWorking = isMoving(standing.state) && view.current !== undefined;
  return (
    <>
      <Head shown={shown} nowMs={nowMs} />
      <Result shown={shown} />
      <Night shown={shown} nowMs={nowMs - (nowMs % figureStepMs(shown, nowMs))} chosen={chosen} choose={choose} />
      <div class="columns">
        <div class="column-main">
          {newest > 0 && (
            <NowPane
              title={isWorking ? `Now, iteration ${newest}` : `The agent in iteration ${newest}`}
              transcript={transcript}
              whole={`/loops/${page.key}/iterations/${newest}`}
              empty={isWorking ? 'Nothing yet.' : 'Nothing is stored of what it wrote.'}
            />
          )}
          <GuideBox loopKey={page.key} standing={standing} />
        </div>
        <div class="column-side">
          <Rules shown={shown} />
          <Checks shown={shown} />
        </div>
      </div>
      <IterationTable history={history} loopKey={page.key} chosen={chosen} />
      <ReadOnly />
      {shown.gone?.why === 'removed' && <p class="quiet">{shown.gone.message}</p>}
    </>
  );
}

function lastAttemptOf({ history, standing }: ShownLoop): number {
  return history.fold.open?.attempts.at(-1)?.attempt ?? standing.view.attempt;
}

function Head({ shown, nowMs }: { readonly shown: ShownLoop; readonly nowMs: number }) {
  const { standing, page, live } = shown;
  const { view } = standing;
  const lead = leadText(shown);
  const model = live.pulse?.step === 'agent' ? live.pulse.model : undefined;
  return (
    <div class="loop-head">
      <div class="lead">
        <nav class="crumbs" aria-label="Where you are">
          <Link to="/">Loops</Link> <span aria-hidden="true">/</span> {page.project.name}
        </nav>
        <p class="loop-name">
          <Badge state={standing.state} />
          <strong>{page.name}</strong>
          <span class="quiet">
            {[
              view.agent,
              ...(model === undefined ? [] : [model]),
              ...(view.mode === 'unattended' ? [] : [view.mode]),
              ...(view.worktree === undefined ? [] : [`branch ${view.worktree.branch}`]),
            ].join(', ')}
          </span>
          {view.status === 'completed' && <span class="level">proof: {view.proof}</span>}
        </p>
        <h1>
          <Phrase text={lead} />
        </h1>
        <Announced text={lead} />
        <p class="lead-more">
          <Phrase text={leadMore(shown, nowMs)} />
        </p>
        <Task text={view.task} />
      </div>
      <Actions shown={shown} />
    </div>
  );
}

const shortTask = 240;

function Task({ text }: { readonly text: string }) {
  const task = clean(text).trim();
  if (task === '') return null;
  if (task.length <= shortTask && !task.includes('\n')) {
    return (
      <p class="task">
        <span class="quiet">The task:</span> {task}
      </p>
    );
  }
  return (
    <details class="task">
      <summary>
        <span class="quiet">The task:</span> {task.replaceAll(/\s+/gu, ' ').slice(0, shortTask)} …
      </summary>
      <pre class="task-whole">{task}</pre>
    </details>
  );
}
