import { ActionButton } from '../parts/action-button.tsx';
import { CommandBox } from '../parts/command-box.tsx';
import { Phrase } from '../parts/text.tsx';
import type { ShownLoop } from '../state/loop.ts';
import { badgeLooks, isOver } from '../words/signs.ts';

/** Why a loop that does not move is where it is, and what to do about it; nothing for one that moves. */
export function Result({ shown }: { readonly shown: ShownLoop }) {
  const { state, explained, problems, view } = shown.standing;
  const { look } = badgeLooks[state];
  const isNeed = look === 'you';
  const isResting = isNeed || isOver(state) || state === 'paused' || state === 'parked';
  if (!isResting && problems.length === 0 && view.question === undefined) return null;
  const facts = [...explained.evidence, ...problems];
  const next = nextSteps(shown);
  return (
    <section class={isNeed ? 'result result-need' : 'result'} aria-label={isOver(state) ? 'The result' : 'What to do'}>
      {facts.length > 0 && (
        <ul class="evidence">
          {facts.map((text) => (
            <li key={text}>
              <Phrase text={text} />
            </li>
          ))}
        </ul>
      )}
      {isResting && next.length > 0 && (
        <ol class="next">
          {next.map(({ command, does, request }, index) => (
            <li key={command}>
              <p>
                <Phrase text={capital(does)} />
              </p>
              <div class="next-act">
                <CommandBox command={command} label={`step ${index + 1}`} />
                {request !== undefined && request.path !== 'resume' && (
                  <ActionButton loopKey={shown.page.key} request={request} />
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** A stopped process takes no command: it has to continue first. */
function nextSteps({ standing: { state, explained, owner } }: ShownLoop): ShownLoop['standing']['explained']['next'] {
  if (state !== 'frozen' || owner.pid === undefined) return explained.next;
  const details = explained.next.filter(({ request }) => request === undefined);
  return [{ command: `kill -CONT ${owner.pid}`, does: 'let the process continue' }, ...details];
}

function capital(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.:]$/u.test(sentence) ? sentence : `${sentence}.`;
}
