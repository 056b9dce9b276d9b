/** Guards in the current form: until 0.1 they were a path and a digest, each with its own syntax. */
export function upcastGuards(guards: readonly unknown[]): readonly unknown[] {
  return guards.map((each) => (isTextGuard(each) ? fromText(each) : each));
}

interface TextGuard {
  readonly path: string;
  readonly digest: string;
  readonly mode?: unknown;
}

function isTextGuard(value: unknown): value is TextGuard {
  return (
    isRecord(value) && !('kind' in value) && typeof value['path'] === 'string' && typeof value['digest'] === 'string'
  );
}

const ofNames = /^((?:.*\/)?)\{([^{}/]*)\}$/s;
const ofProgram = /^(.*)#(bin|path|run)\.(.+)$/s;
const ofScript = /^((?:.*\/)?package\.json)#scripts\.(.+)$/s;
const ofPart = /^(.*)#([^#/]+)$/s;
const targetFiles = /(?:^|\/)(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml)$/;
/** `inside VERSION DIGEST FILE`, with `-` for an unknown version. */
const insideProgram = /^inside (\S+) (\S+) (.*)$/s;

function fromText({ path, digest, mode }: TextGuard): Readonly<Record<string, unknown>> {
  const effect = mode === 'report' ? 'report' : 'refuse';
  const [, folder, names] = ofNames.exec(path) ?? [];
  if (folder !== undefined && names !== undefined) {
    const present = digest
      .replace(/^only /, '')
      .split('/')
      .filter((name) => name !== '');
    return { kind: 'names', folder: folder.replace(/\/$/, ''), names: names.split(','), present, effect };
  }
  const [, from = '', by, name] = ofProgram.exec(path) ?? [];
  if (name !== undefined && (by === 'bin' || by === 'path' || by === 'run')) {
    return { kind: 'program', folder: from, name, by, found: foundIn(digest), effect };
  }
  const [, manifest, script] = ofScript.exec(path) ?? [];
  if (manifest !== undefined && script !== undefined) return { kind: 'script', manifest, script, digest, effect };
  const [, file, inside] = ofPart.exec(path) ?? [];
  if (file === undefined || inside === undefined) return { kind: 'file', path, digest, effect };
  if (targetFiles.test(file)) return { kind: 'target', file, target: inside, digest, effect };
  return { kind: 'part', file, part: inside, digest, effect };
}

function foundIn(digest: string): Readonly<Record<string, unknown>> {
  const [, version, own, file] = insideProgram.exec(digest) ?? [];
  if (own === undefined || file === undefined) return { at: digest === 'outside' ? 'outside' : 'none' };
  return { at: 'inside', file, digest: own, ...(version === '-' || version === undefined ? {} : { version }) };
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
