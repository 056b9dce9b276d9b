import type { Guard } from './guard.ts';

type Data = Readonly<Record<string, unknown>>;
/** Turns the data of a fact as an earlier version wrote it into what is written today; leaves anything else alone. */
type Upcaster = (data: Data) => Data;

/** By type of fact, oldest first. Facts carry no version of their own: each upcaster knows its old form by its looks. */
const upcasters: Readonly<Record<string, readonly Upcaster[]>> = {
  'loop.started': [withGuards('guards')],
  'gate.accepted': [withGuards('guards')],
  'baseline.finished': [withGuards('renewed')],
};

/** The data of a fact in today's form. */
export function upcastFact(type: string, data: unknown): unknown {
  const own = Object.hasOwn(upcasters, type) ? (upcasters[type] ?? []) : [];
  return isRecord(data) ? own.reduce((older, upcast) => upcast(older), data) : data;
}

/** Guards in today's form: until 0.1 they were a path and a digest, each with a language of its own. */
export function upcastGuards(guards: readonly unknown[]): readonly unknown[] {
  return guards.map((each) => (isTextGuard(each) ? fromText(each) : each));
}

function withGuards(field: string): Upcaster {
  return (data) => {
    const guards = data[field];
    return Array.isArray(guards) ? { ...data, [field]: upcastGuards(guards) } : data;
  };
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
/** `inside VERSION DIGEST FILE`, with `-` for a version that is not known. */
const insideProgram = /^inside (\S+) (\S+) (.*)$/s;

function fromText({ path, digest, mode }: TextGuard): Guard {
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

function foundIn(digest: string): Extract<Guard, { kind: 'program' }>['found'] {
  const [, version, own, file] = insideProgram.exec(digest) ?? [];
  if (own === undefined || file === undefined) return { at: digest === 'outside' ? 'outside' : 'none' };
  return { at: 'inside', file, digest: own, ...(version === '-' || version === undefined ? {} : { version }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
