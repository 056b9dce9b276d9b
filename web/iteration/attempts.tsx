import type { IterationDetails } from '../../src/protocol/index.ts';
import { go } from '../shell/router.tsx';

interface AttemptsProps {
  readonly attempts: IterationDetails['account']['attempts'];
  readonly chosen: number;
  readonly place: { readonly key: string; readonly iteration: number };
}

/** The attempts at an iteration as tabs; the last one counts. */
export function Attempts({ attempts, chosen, place }: AttemptsProps) {
  const show = (attempt: number) =>
    go(`/loops/${place.key}/iterations/${place.iteration}?attempt=${attempt}`, { replace: true });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = attempts.findIndex(({ attempt }) => attempt === chosen);
    const next = attempts[(index + step + attempts.length) % attempts.length];
    if (next === undefined) return;
    show(next.attempt);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label="Attempts" onKeyDown={onKeyDown}>
      {attempts.map(({ attempt, interrupted }) => (
        <button
          key={attempt}
          type="button"
          role="tab"
          aria-selected={attempt === chosen}
          tabIndex={attempt === chosen ? 0 : -1}
          onClick={() => show(attempt)}
        >
          Attempt {attempt}
          {interrupted !== undefined && <span class="quiet"> {interrupted.cause.replaceAll('_', ' ')}</span>}
        </button>
      ))}
    </div>
  );
}
