import { useRef, useState } from 'preact/hooks';
import type { Standing } from '../../src/protocol/index.ts';
import { ActionLine, useAction } from '../parts/action-button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { useKeys } from '../shell/keys.ts';
import { useControl } from '../shell/notice.tsx';
import type { ShownLoop } from '../state/loop.ts';

type Command = Standing['allowed'][number];

interface Order {
  readonly name: string;
  /** How the name begins, where there is little room. */
  readonly short?: string;
  readonly does: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What is asked before it is sent. */
  readonly question?: string;
}

/** What can be done with a loop: one button for the likeliest step, and everything else behind another. */
export function Actions({ shown }: { readonly shown: ShownLoop }) {
  const { isAllowed, isReady } = useControl();
  const { act, result, isBusy } = useAction(shown.page.key);
  const [asked, ask] = useState<Order | undefined>(undefined);
  const menu = useRef<HTMLButtonElement>(null);
  const orders = ordersOf(shown);
  const main = mainOrder(shown);
  const send = ({ path, body }: Order) => void act(path, body);
  const start = (order: Order) => (order.question === undefined ? send(order) : ask(order));
  const isOff = !isReady || isBusy;
  useKeys({
    ...(main === undefined || isOff || !isAllowed ? {} : { p: () => start(main) }),
    ...(isAllowed ? { x: () => menu.current?.click() } : {}),
  });
  if (!isAllowed || (main === undefined && orders.length === 0)) return null;
  const entries: readonly MenuEntry[] = orders.map((order) => ({
    name: order.name,
    does: order.does,
    isDangerous: order.question !== undefined,
    act: () => start(order),
  }));
  return (
    <div class="actions">
      <div class="buttons">
        <button
          type="button"
          class="button primary guide-button"
          onClick={() => document.querySelector<HTMLElement>('.guide textarea')?.focus()}
          hidden={!shown.standing.allowed.includes('guide')}
        >
          Say one thing
        </button>
        {main !== undefined && (
          <button type="button" class="button" disabled={isOff} onClick={() => start(main)} title={main.does}>
            {main.short ?? main.name}
            {main.short !== undefined && <span class="long-name">{main.name.slice(main.short.length)}</span>}
          </button>
        )}
        <Menu label="More actions" entries={entries} isDisabled={isOff} button={menu} />
      </div>
      <ActionLine result={result} />
      {asked !== undefined && (
        <Confirm
          title={`${asked.name} ${shown.page.name}?`}
          text={asked.question ?? ''}
          action={asked.name}
          confirm={() => send(asked)}
          close={() => ask(undefined)}
        />
      )}
    </div>
  );
}

/** The likeliest step: pause what runs, take a pause back, resume what rests, answer what asks. */
function mainOrder({ standing }: ShownLoop): Order | undefined {
  const { state, view, allowed, explained, owner } = standing;
  if (view.requested.includes('pause')) {
    return { name: 'Take the pause back', does: 'It goes on after this iteration.', path: 'resume', body: {} };
  }
  if (state === 'asking') return command('Continue', 'Approve what it asks about.', { command: 'continue' });
  const step = explained.next.find(({ request }) => request?.path === 'resume')?.request;
  const isResting =
    ['paused', 'needs', 'crashed', 'parked'].includes(state) || (owner.state === 'none' && allowed.includes('resume'));
  if (isResting && (step !== undefined || allowed.includes('resume'))) {
    return { name: 'Resume', does: 'It goes on in a process of its own.', path: 'resume', body: step?.body ?? {} };
  }
  if (allowed.includes('pause')) {
    return {
      ...command('Pause after this iteration', 'The iteration is finished first.', { command: 'pause' }),
      short: 'Pause',
    };
  }
  return undefined;
}

function ordersOf({ standing, page }: ShownLoop): readonly Order[] {
  const { view, allowed } = standing;
  const [now, next] = [view.iteration, view.iteration + 1];
  const isAsking = view.question !== undefined;
  const all: readonly (readonly [Command, Order])[] = [
    ['retry', command('End the wait', 'Try again now instead of waiting.', { command: 'retry' })],
    [
      'skip',
      command(
        'Skip',
        isAsking
          ? 'Not this iteration, or not this result.'
          : `Give up iteration ${now}, which counts, and start ${next}.`,
        { command: 'skip' },
      ),
    ],
    ['reboot', command('Reboot', 'Give the next iteration a new session.', { command: 'reboot' })],
    [
      'pause',
      command(
        'Pause now',
        view.current === undefined ? 'Pause at once.' : `Interrupt iteration ${now}; it is tried again after resume.`,
        { command: 'pause', now: true },
      ),
    ],
    [
      'stop',
      {
        ...command('Stop', 'End the loop permanently; its agent may shut down cleanly.', { command: 'stop' }),
        question: `${page.name} ends permanently. Its agent shuts down cleanly, and the work stays in the work tree.`,
      },
    ],
    [
      'abort',
      {
        ...command('Abort', 'End the loop permanently and at once.', { command: 'abort' }),
        question: `${page.name} ends permanently, and its agent is killed now. The work stays in the work tree.`,
      },
    ],
  ];
  return all.flatMap(([name, order]) =>
    allowed.includes(name) && (name !== 'retry' || standing.state === 'waiting') ? [order] : [],
  );
}

function command(name: string, does: string, body: Readonly<Record<string, unknown>>): Order {
  return { name, does, path: 'commands', body };
}
