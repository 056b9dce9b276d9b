import type { NightReport } from '../../src/protocol/index.ts';
import { Badge } from '../parts/badge.tsx';
import { CommandBox } from '../parts/command-box.tsx';
import { clean, cleanLine, Phrase, Said } from '../parts/text.tsx';
import { Link } from '../shell/router.tsx';
import { money } from '../words/amounts.ts';

type Entry = NightReport['loops'][number];
type Receipt = NonNullable<Entry['receipt']>;

const marks = { good: '✓', look: '▲', bad: '✗', plain: '·' } as const;
const inks = { good: 'ink-proof', look: 'ink-you', bad: 'ink-stop', plain: 'ink-rest' } as const;
const maxWords = 280;
const maxSteps = 3;

/** What one loop brought: what you got, whether you can trust it, and what comes next. */
export function ReceiptOf({ entry: { row, receipt } }: { readonly entry: Entry }) {
  return (
    <article class="report-loop">
      <h3>
        <Badge state={row.state} />
        <Link to={`/loops/${row.key}`} class="row-name">
          {row.name}
        </Link>
        <span class="quiet one-line">{cleanLine(row.task)}</span>
      </h3>
      <p class="report-sentence">
        <Phrase text={receipt?.headline ?? row.sentence} />
      </p>
      {receipt === null ? <p class="quiet">It could not be read in full.</p> : <Columns entry={{ row, receipt }} />}
    </article>
  );
}

function Columns({ entry: { row, receipt } }: { readonly entry: Entry & { readonly receipt: Receipt } }) {
  return (
    <div class="receipt-columns">
      <div>
        <h4>{row.group === 'finished' ? 'You got' : 'So far'}</h4>
        <p>{gotText(row, receipt)}</p>
        {receipt.lastWords !== undefined && receipt.lastWords.trim() !== '' && <Said text={cut(receipt.lastWords)} />}
      </div>
      <div>
        <h4>{row.group === 'finished' ? 'Can you trust it' : 'What is known'}</h4>
        <ul class="trust">
          {receipt.trust.map(({ tone, command, text }) => (
            <li key={`${command}${text}`}>
              <span class={`mark ${inks[tone]}`} aria-hidden="true">
                {marks[tone]}
              </span>
              <span>
                {command !== undefined && <code>{clean(command)}</code>} <Phrase text={text} />
              </span>
            </li>
          ))}
          {receipt.trust.length === 0 && <li class="quiet">Nothing was checked yet.</li>}
        </ul>
      </div>
      <div>
        <h4>Next</h4>
        {receipt.next.slice(0, maxSteps).map(({ command, does }) => (
          <div key={command} class="report-step">
            <p>
              <Phrase text={does.charAt(0).toUpperCase() + does.slice(1)} />
            </p>
            <CommandBox command={command} label={does} />
          </div>
        ))}
        {receipt.next.length === 0 && <p class="quiet">Leave it alone.</p>}
      </div>
    </div>
  );
}

function gotText(row: Entry['row'], { files }: Receipt): string {
  const names = files.slice(0, 3).map(({ path }) => cleanLine(path));
  const rest = files.length - names.length;
  const changed =
    files.length === 0 ? 'No file changed.' : `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  const cost = row.cost.usd === null ? 'cost not reported' : money(row.cost.usd, row.cost.unreportedRuns);
  return `${changed} ${row.finished} ${row.finished === 1 ? 'iteration' : 'iterations'}, ${cost}.`;
}

function cut(text: string): string {
  const words = text.trim();
  return words.length <= maxWords ? words : `… ${words.slice(-maxWords).replace(/^\S*\s/u, '')}`;
}
