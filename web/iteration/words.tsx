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
  const [found, setFound] = useState<Found | undefined>(undefined);
  const [refusal, setRefusal] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  const search = async (searched: string, before?: Found) => {
    setRefusal('');
    try {
      setFound(searched === '' ? undefined : await findOn(loopKey, searched, before));
    } catch (error) {
      setRefusal(failureText(error));
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void search(query.trim());
  };
  return (
    <search class="search">
      <form onSubmit={submit}>
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
      {found !== undefined && (
        <Matches found={found} loopKey={loopKey} onMore={() => void search(found.query, found)} />
      )}
    </search>
  );
}

/** What was found so far. */
interface Found extends SearchResult {
  readonly query: string;
}

/** Searches on until there is another match, or nothing left. A request only searches for a moment. */
async function findOn(loopKey: string, query: string, before?: Found): Promise<Found> {
  const cursor = before?.next;
  const parameters = new URLSearchParams({ q: query, ...(cursor === undefined ? {} : { cursor }) });
  const result = await ask<SearchResult>(`/api/loops/${loopKey}/search?${parameters}`);
  const found = before === undefined ? { ...result, query } : joined(before, result);
  return result.matches.length > 0 || result.next === undefined ? found : await findOn(loopKey, query, found);
}

/** The iteration in which a part ends is also the first of the next part. */
function joined({ query, matches, searched }: Found, result: SearchResult): Found {
  const iterations = searched.iterations + Math.max(0, result.searched.iterations - 1);
  return {
    ...result,
    query,
    matches: [...matches, ...result.matches],
    searched: { iterations, bytes: searched.bytes + result.searched.bytes },
  };
}

interface MatchesProps {
  readonly found: Found;
  readonly loopKey: string;
  readonly onMore: () => void;
}

function Matches({ found: { matches, searched, next }, loopKey, onMore }: MatchesProps) {
  return (
    <div class="matches">
      <p class="quiet" role="status">
        {counted(matches.length, 'place')} in {counted(searched.iterations, 'iteration')}
        {next === undefined ? ', in everything that is stored.' : ' so far, newest first.'}
      </p>
      <ul>
        {matches.map(({ iteration, attempt, number, before, match, after }, index) => (
          <li key={`${iteration}/${attempt}/${number}/${index}`}>
            <Link to={`/loops/${loopKey}/iterations/${iteration}?attempt=${attempt}`}>Iteration {iteration}</Link>{' '}
            {clean(before)}
            <mark>{clean(match)}</mark>
            {clean(after)}
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" class="button more" onClick={onMore}>
          Search further back
        </button>
      )}
    </div>
  );
}
