import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { createCell, useCell } from '../state/cell.ts';
import { hasSingleKeys, setSingleKeys } from './keys.ts';

const isOpen = createCell(false);

/** Shows what every key does. */
export function openHelp(): void {
  isOpen.set(true);
}

const keys = [
  ['j  k', 'choose the next or the previous row'],
  ['enter', 'open what is chosen'],
  ['esc', 'back'],
  ['n', 'the next loop that needs you'],
  ['/', 'find'],
  ['g', 'say one thing to the agent; ctrl-enter sends it'],
  ['p', 'pause after this iteration; again: take that back'],
  ['x', 'more actions'],
  ['f', 'follow the newest line, or stay'],
  ['←  →', 'the previous or the next iteration'],
  ['home  end', 'in the figure: the first or the newest iteration'],
  ['c', 'copy the command in focus, or the first one'],
  ['?', 'this help'],
] as const;

const signs = [
  ['↑', 'progress, even if a claim was refused'],
  ['·', 'no progress'],
  ['×', 'claim refused, and no better'],
  ['!', 'failed'],
  ['✓', 'proven: ralphd ran the checks, and they passed'],
  ['◇', 'claimed only: nothing was checked'],
  ['»', 'skipped'],
  ['?', 'not known'],
  ['▸', 'under way'],
] as const;

/** The help over every view. */
export function Help() {
  const isShown = useCell(isOpen);
  const [areOn, setOn] = useState(hasSingleKeys());
  if (!isShown) return null;
  const change = (isOn: boolean) => {
    setSingleKeys(isOn);
    setOn(isOn);
  };
  return (
    <Dialog title="Keys and signs" close={() => isOpen.set(false)}>
      <div class="help">
        <Pairs title="Keys" pairs={keys} />
        <Pairs title="Signs of iterations" pairs={signs} />
      </div>
      <label class="check-label">
        <input type="checkbox" checked={areOn} onChange={(event) => change(event.currentTarget.checked)} />
        Single keys act on this page
      </label>
      <p class="quiet">≥ at least: a run did not report. ~ about: an estimate. ? not known.</p>
    </Dialog>
  );
}

function Pairs({ title, pairs }: { readonly title: string; readonly pairs: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="pairs">
        {pairs.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
