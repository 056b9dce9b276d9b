import { absent, type Content } from './content.ts';
import type { RawPath } from './raw-path.ts';

interface StatusEntry {
  readonly path: RawPath;
  readonly head: Content;
}

interface Status {
  /** The commit, or null before the first one. */
  readonly head: string | null;
  readonly entries: readonly StatusEntry[];
}

/** Parses `git status --porcelain=v2 --branch -z --no-renames`; unknown lines are skipped, as git's manual asks. */
export function parseStatus(output: Buffer): Status {
  const lines = output.toString('latin1').split('\0');
  const oid = lines.find((line) => line.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
  const entries = new Map<RawPath, StatusEntry>();
  for (const entry of lines.map(parseEntry)) {
    if (entry === undefined) continue;
    // A file removed from the index but still on disk is listed twice: as deleted and as untracked.
    const other = entries.get(entry.path);
    entries.set(entry.path, other === undefined || other.head === absent ? entry : other);
  }
  return { head: oid === undefined || oid === '(initial)' ? null : oid, entries: [...entries.values()] };
}

function parseEntry(line: string): StatusEntry | undefined {
  switch (line[0]) {
    case '1':
      return parseTracked(line, 8, { mode: 3, id: 6 });
    case 'u':
      // In a conflict, "ours" is the content of HEAD.
      return parseTracked(line, 10, { mode: 4, id: 8 });
    case '?':
      return parseUntracked(line.slice(2));
    default:
      return undefined;
  }
}

function parseTracked(line: string, pathField: number, at: { mode: number; id: number }): StatusEntry | undefined {
  const fields = line.split(' ');
  const mode = fields[at.mode];
  const id = fields[at.id];
  if (mode === undefined || id === undefined) return undefined;
  return { path: fields.slice(pathField).join(' '), head: headContent(mode, id) };
}

/** An untracked nested repository ends with a slash. */
function parseUntracked(path: string): StatusEntry {
  return { path: path.replace(/\/$/, ''), head: absent };
}

// The mode is all zeros where there is no file.
function headContent(mode: string, id: string): Content {
  return /^0+$/.test(mode) ? absent : `${mode} ${id}`;
}

/** Parses `git diff-tree -r -z --raw --no-renames`. */
export function parseDiff(output: Buffer): Map<RawPath, { readonly before: Content; readonly after: Content }> {
  const parts = output.toString('latin1').split('\0');
  const changes = new Map<RawPath, { before: Content; after: Content }>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = parts[index]?.slice(1).split(' ') ?? [];
    const path = parts[index + 1] ?? '';
    changes.set(path, { before: headContent(oldMode, oldId), after: headContent(newMode, newId) });
  }
  return changes;
}
