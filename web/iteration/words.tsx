import { useRef, useState } from 'preact/hooks';
import type { SearchResult, SentTranscript } from '../../src/protocol/index.ts';
import { ask, failureText } from '../api/request.ts';
import { Line } from '../loop/now-pane.tsx';
import { linesOf } from '../loop/transcript.ts';
import { clean } from '../parts/text.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { useKeys } from '../shell/keys.ts';
import { Link } from '../shell/router.tsx';
import { counted } from '../words/amounts.ts';

interface WordsProps {
  readonly place: { readonly key: string; readonly iteration: number };
  readonly attempt: number;
  readonly isOpen: boolean;
}

const pageSize = 200;

/** What the agent wrote and did, a part at a time, and a search over everything that is stored. */
export function Words({ place, attempt, isOpen }: WordsProps) {
  const path = `/api/loops/${place.key}/iterations/${place.iteration}/transcript?attempt=${attempt}&limit=${pageSize}`;
  const { value, error } = useAnswer<SentTranscript>(path);
  const [earlier, setEarlier] = useState<SentTranscript['entries']>([]);
  const entries = [...earlier, ...(value?.entries ?? [])];
  const first = entries[0]?.number ?? 1;
  const more = async () => {
    const from = Math.max(1, first - pageSize);
    const before = await ask<SentTranscript>(`${path.replace(/limit=\d+/u, `limit=${first - from}`)}&from=${from}`);
    setEarlier([...before.entries.filter(({ number }) => number < first), ...earlier]);
  };
  return (
    <section aria-labelledby="words-title">
      <div class="section-head">
        <h2 id="words-title">Words and tools</h2>
        {value !== undefined && (
          <span class="quiet">{isOpen ? 'so far' : counted(value.total ?? entries.length, 'entry', 'entries')}</span>
        )}
      </div>
      <Find loopKey={place.key} />
      {error !== undefined && <p class="quiet">Nothing is stored of what it wrote: {clean(error.message)}</p>}
      {first > 1 && (
        <button type="button" class="button more" onClick={() => void more()}>
          Show {Math.min(pageSize, first - 1)} earlier
        </button>
      )}
      <div class="transcript-whole">
        {linesOf(entries).map((line) => (
          <Line key={line.key} line={line} />
        ))}
        {value !== undefined && entries.length === 0 && <p class="quiet">It wrote nothing.</p>}
      </div>
    </section>
  );
}

function Find({ loopKey }: { readonly loopKey: string }) {
  const [query, setQuery] = useState('');
  const [result, setResult] = useState<SearchResult | undefined>(undefined);
  const [refusal, setRefusal] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  const search = async (event: Event) => {
    event.preventDefault();
    setRefusal('');
    if (query.trim() === '') return setResult(undefined);
    try {
      setResult(await ask<SearchResult>(`/api/loops/${loopKey}/search?${new URLSearchParams({ q: query.trim() })}`));
    } catch (error) {
      setRefusal(failureText(error));
    }
  };
  return (
    <search class="search">
      <form onSubmit={(event) => void search(event)}>
        <label class="find">
          <span class="for-readers">Find in everything that the agents wrote</span>
          <input
            ref={field}
            type="search"
            placeholder="Find in all iterations"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <kbd>/</kbd>
        </label>
        <button type="submit" class="button">
          Find
        </button>
      </form>
      {refusal !== '' && <p class="refused">{refusal}</p>}
      {result !== undefined && <Matches result={result} loopKey={loopKey} />}
    </search>
  );
}

function Matches({
  result: { matches, searched, next },
  loopKey,
}: {
  readonly result: SearchResult;
  readonly loopKey: string;
}) {
  return (
    <div class="matches" role="status">
      <p class="quiet">
        {counted(matches.length, 'place')} in {counted(searched.iterations, 'iteration')}
        {next === undefined ? ', everything that is stored.' : '; the newest are shown.'}
      </p>
      <ul>
        {matches.map(({ iteration, attempt, number, before, match, after }) => (
          <li key={`${iteration}/${attempt}/${number}`}>
            <Link to={`/loops/${loopKey}/iterations/${iteration}?attempt=${attempt}`}>Iteration {iteration}</Link>{' '}
            {clean(before)}
            <mark>{clean(match)}</mark>
            {clean(after)}
          </li>
        ))}
      </ul>
    </div>
  );
}
