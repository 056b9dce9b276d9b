import { useRef, useState } from 'preact/hooks';
import type { Standing } from '../../src/protocol/index.ts';
import { ActionLine, useAction } from '../parts/action-button.tsx';
import { clean } from '../parts/text.tsx';
import { useKeys } from '../shell/keys.ts';
import { useControl } from '../shell/notice.tsx';
import { moment } from '../words/times.ts';

interface GuideBoxProps {
  readonly loopKey: string;
  readonly standing: Standing;
}

const maxLength = 20_000;
const countedFrom = 2_000;

/** One sentence to the agent, and what became of earlier ones. */
export function GuideBox({ loopKey, standing }: GuideBoxProps) {
  const { isAllowed, isReady } = useControl();
  const { act, result, isBusy } = useAction(loopKey);
  const canGuide = isAllowed && standing.allowed.includes('guide');
  if (!canGuide && standing.guidance.length === 0) return null;
  return (
    <section class="guide" aria-labelledby="guide-title">
      <div class="section-head">
        <h2 id="guide-title">Say one thing to the agent</h2>
        {canGuide && <kbd>g</kbd>}
      </div>
      {canGuide && (
        <GuideForm loopKey={loopKey} next={standing.view.iteration + 1} send={act} isReady={isReady && !isBusy} />
      )}
      <ActionLine result={result} />
      <ul class="guidance">
        {standing.guidance.map((each) => (
          <Given
            key={each.number}
            given={each}
            standing={standing}
            drop={
              canGuide && isReady ? () => void act('commands', { command: 'drop', number: each.number }) : undefined
            }
          />
        ))}
      </ul>
    </section>
  );
}

interface GuideFormProps {
  readonly loopKey: string;
  readonly next: number;
  readonly send: (path: string, body: unknown) => Promise<boolean>;
  readonly isReady: boolean;
}

function GuideForm({ loopKey, next, send, isReady }: GuideFormProps) {
  const kept = `ralphd-draft-${loopKey}`;
  const [text, setText] = useState(sessionStorage.getItem(kept) ?? '');
  const [isOnce, setOnce] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useKeys({ g: () => field.current?.focus() });
  const change = (draft: string) => {
    setText(draft);
    sessionStorage.setItem(kept, draft);
  };
  const submit = async () => {
    if (text.trim() === '' || !isReady) return;
    const isSent = await send('commands', { command: 'guide', text: text.trim(), ...(isOnce ? { once: true } : {}) });
    if (isSent) change('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') field.current?.blur();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void submit();
  };
  const left = maxLength - text.length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <textarea
        ref={field}
        rows={2}
        aria-labelledby="guide-title"
        aria-describedby="guide-note"
        maxLength={maxLength}
        placeholder="Such as: leave the public API alone"
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="guide-send">
        <p class="quiet" id="guide-note">
          {isOnce
            ? `Goes into the prompt of iteration ${next}, once.`
            : `Goes into every prompt from iteration ${next} on, until you take it back.`}
          {left < countedFrom ? ` ${left} characters left.` : ''}
        </p>
        <label class="check-label">
          <input type="checkbox" checked={isOnce} onChange={(event) => setOnce(event.currentTarget.checked)} />
          Only once
        </label>
        <button type="submit" class="button primary" disabled={!isReady || text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}

interface GivenProps {
  readonly given: Standing['guidance'][number];
  readonly standing: Standing;
  readonly drop: (() => void) | undefined;
}

function Given({ given: { number, text, isStanding, at, firstIteration }, standing, drop }: GivenProps) {
  const when = at === undefined ? '' : `${moment(at, standing.nowMs)}, `;
  const fate = firstIteration === undefined ? 'saved; no prompt has it yet' : `read in iteration ${firstIteration}`;
  return (
    <li>
      <span class="quiet">
        {when}
        {fate}
        {isStanding ? '' : ', once'}:
      </span>{' '}
      {clean(text)}{' '}
      {drop !== undefined && (
        <button type="button" class="link-button" onClick={drop} aria-label={`Take back guidance ${number}`}>
          Take back
        </button>
      )}
    </li>
  );
}
