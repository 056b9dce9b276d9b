import { useMemo, useState } from 'preact/hooks';
import type { Diff } from '../../src/protocol/index.ts';
import { clean, cleanLine } from '../parts/text.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { counted } from '../words/amounts.ts';
import { type PatchFile, readPatch } from './patch.ts';

interface ChangesProps {
  readonly place: { readonly key: string; readonly iteration: number };
  readonly hasChanges: boolean;
}

/** What an iteration changed, file by file. */
export function Changes({ place, hasChanges }: ChangesProps) {
  const { value, error } = useAnswer<Diff>(
    hasChanges ? `/api/loops/${place.key}/iterations/${place.iteration}/diff` : undefined,
  );
  const files = useMemo(() => readPatch(value?.patch?.text ?? ''), [value]);
  const counts = new Map(value?.files?.map((file) => [file.path, file]));
  return (
    <section class="changes" id="changes" aria-labelledby="changes-title">
      <div class="section-head">
        <h2 id="changes-title">Changes</h2>
        {value !== undefined && value.files !== null && (
          <span class="quiet">{counted(value.files.length, 'file')}</span>
        )}
      </div>
      {error !== undefined && <p class="quiet">{clean(error.message)}</p>}
      {!hasChanges && <p class="quiet">The agent has not finished: what it changes is compared when it ends.</p>}
      {hasChanges && value === undefined && error === undefined && <p class="quiet">Comparing …</p>}
      {value !== undefined && value.files?.length === 0 && <p class="quiet">No file changed.</p>}
      {value !== undefined && value.patch === null && value.files?.length !== 0 && <FileNames diff={value} />}
      {files.map((file) => (
        <File key={file.path} file={file} count={counts.get(file.path)} />
      ))}
      {value?.patch?.isWhole === false && <p class="quiet">The patch is longer than what is shown here.</p>}
    </section>
  );
}

function FileNames({ diff }: { readonly diff: Diff }) {
  return (
    <>
      <p class="quiet">The changed lines are not stored.</p>
      <ul>
        {diff.files?.map(({ path }) => (
          <li key={path}>
            <code>{clean(path)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

const shownAtFirst = 400;

interface FileProps {
  readonly file: PatchFile;
  readonly count: { readonly added: number | null; readonly removed: number | null } | undefined;
}

function File({ file, count }: FileProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = isWhole ? file.lines : file.lines.slice(0, shownAtFirst);
  const rest = file.lines.length - lines.length;
  return (
    <details class="patch" open={file.lines.length <= shownAtFirst}>
      <summary>
        <code>{cleanLine(file.path)}</code>
        {count !== undefined && count.added !== null && (
          <span class="patch-count">
            +{count.added} −{count.removed}
          </span>
        )}
      </summary>
      <div class="patch-scroll" tabIndex={0} role="region" aria-label={`Changes in ${cleanLine(file.path)}`}>
        <table>
          <tbody>
            {lines.map(({ kind, text, before, after }, index) => (
              <tr key={index} class={`patch-${kind}`}>
                <td class="patch-number">{before}</td>
                <td class="patch-number">{after}</td>
                <td class="patch-sign">{{ added: '+', removed: '−', same: '', place: '', note: '' }[kind]}</td>
                <td class="patch-text">{clean(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <button type="button" class="button more" onClick={() => setWhole(true)}>
          Show {counted(rest, 'more line', 'more lines')}
        </button>
      )}
    </details>
  );
}
