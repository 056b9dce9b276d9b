import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clean } from '../parts/text.tsx';
import { useKeys } from '../shell/keys.ts';
import { Link } from '../shell/router.tsx';
import { counted } from '../words/amounts.ts';
import { clock } from '../words/times.ts';
import type { Transcript, TranscriptLine } from './transcript.ts';

interface NowPaneProps {
  readonly title: string;
  readonly transcript: Transcript;
  /** Where all of it is. */
  readonly whole: string;
  readonly empty: string;
}

const nearPx = 24;

/** What the agent writes and does. It follows the newest line until the reader scrolls up, and never pulls back. */
export function NowPane({ title, transcript, whole, empty }: NowPaneProps) {
  const { lines, hasEarlier } = transcript;
  const pane = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [seen, setSeen] = useState(0);
  const last = lines.at(-1)?.key ?? 0;
  const size = lines.at(-1)?.text.length ?? 0;
  const toEnd = () => pane.current?.scrollTo({ top: pane.current.scrollHeight });
  useLayoutEffect(() => {
    if (!follows) return;
    toEnd();
    setSeen(last);
  }, [follows, last, size]);
  useEffect(() => setFollows(true), [title]);
  const toggle = () => setFollows(!follows);
  useKeys({ f: toggle });
  const onScroll = () => {
    const { current } = pane;
    if (current === null) return;
    setFollows(current.scrollHeight - current.scrollTop - current.clientHeight < nearPx);
  };
  const news = lines.filter(({ key }) => key > seen).length;
  return (
    <section class="now" aria-labelledby="now-title">
      <div class="section-head">
        <h2 id="now-title">{title}</h2>
        {lines.length > 0 && (
          <button type="button" class="follow" aria-pressed={follows} onClick={toggle}>
            {follows ? (
              <>
                Following<span class="long-name"> the newest line</span>
              </>
            ) : news === 0 ? (
              'Not following'
            ) : (
              counted(news, 'new line')
            )}{' '}
            <kbd>f</kbd>
          </button>
        )}
      </div>
      {/* Scrolls, so it can take the focus. */}
      <div
        class="transcript"
        ref={pane}
        tabIndex={0}
        role="region"
        aria-label="What the agent writes and does"
        onScroll={onScroll}
      >
        {hasEarlier && (
          <p class="quiet">
            <Link to={whole}>Everything from the start</Link>
          </p>
        )}
        {lines.length === 0 && <p class="quiet">{empty}</p>}
        {lines.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </div>
    </section>
  );
}

const longText = 1_500;

/** One line of a transcript: the agent is quoted, its tools are commands. */
export function Line({ line }: { readonly line: TranscriptLine }) {
  const [isWhole, setWhole] = useState(false);
  const { kind, name, at } = line;
  const text = clean(line.text).trim();
  const isCut = !isWhole && text.length > longText;
  const shown = isCut ? `${text.slice(0, longText)} …` : text;
  return (
    <div class={`line line-${kind}`}>
      <span class="line-time">{at === undefined ? '' : clock(at)}</span>
      <div class="line-text">
        {kind === 'said' ? (
          <blockquote class="said">{shown}</blockquote>
        ) : kind === 'tool' ? (
          <p class="tool">
            {name !== undefined && <strong>{clean(name)} </strong>}
            {shown}
          </p>
        ) : (
          <p class="trouble">{shown}</p>
        )}
        {isCut && (
          <button type="button" class="link-button" onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString('en')} characters
          </button>
        )}
      </div>
    </div>
  );
}
