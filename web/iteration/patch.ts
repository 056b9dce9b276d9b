/** A changed file of a patch. */
export interface PatchFile {
  readonly path: string;
  readonly lines: readonly PatchLine[];
}

/** One line of a patch with its numbers in the old and the new file. */
export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed' | 'place' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Reads a patch as git writes it. A line that does not belong to one is kept as a note, so nothing is hidden. */
export function readPatch(patch: string): readonly PatchFile[] {
  const files: { path: string; lines: PatchLine[] }[] = [];
  let [before, after, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const text of patch.replace(/\n$/u, '').split('\n')) {
    const current = files.at(-1);
    if (oldLeft > 0 || newLeft > 0) {
      const line = bodyLine(text, before, after);
      if (line.kind !== 'added' && line.kind !== 'note') [before, oldLeft] = [before + 1, oldLeft - 1];
      if (line.kind !== 'removed' && line.kind !== 'note') [after, newLeft] = [after + 1, newLeft - 1];
      current?.lines.push(line);
      continue;
    }
    const place = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/u.exec(text);
    if (place !== null) {
      [before, after] = [Number(place[1]), Number(place[3])];
      [oldLeft, newLeft] = [Number(place[2] ?? 1), Number(place[4] ?? 1)];
      current?.lines.push({ kind: 'place', text: `line ${after}${place[5] ?? ''}` });
    } else if (text.startsWith('diff --git ')) files.push({ path: pathOf(text), lines: [] });
    else if (isHeader(text)) rename(current, text);
    else current?.lines.push({ kind: 'note', text });
  }
  return files;
}

function bodyLine(text: string, before: number, after: number): PatchLine {
  const rest = text.slice(1);
  if (text.startsWith('+')) return { kind: 'added', text: rest, after };
  if (text.startsWith('-')) return { kind: 'removed', text: rest, before };
  if (text.startsWith('\\')) return { kind: 'note', text: rest.trim() };
  return { kind: 'same', text: rest, before, after };
}

function isHeader(text: string): boolean {
  return /^(index |--- |\+\+\+ |old mode |new mode |similarity |rename |copy )/u.test(text);
}

function pathOf(header: string): string {
  return / b\/(.*)$/u.exec(header)?.[1] ?? header.slice('diff --git '.length);
}

function rename(file: { path: string } | undefined, text: string): void {
  const [, path] = /^\+\+\+ b\/(.*?)\t?$/u.exec(text) ?? [];
  if (file !== undefined && path !== undefined) Object.assign(file, { path });
}
