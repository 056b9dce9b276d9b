import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { GateRun, GateTask } from '../../core/index.ts';
import { type JudgedTree, protectionOf } from '../../protocol/index.ts';
import { createPathMatcher, type RawPath, readSmallFile, realFolder, toRaw, toText } from '../../workspace/index.ts';
import type { GateSetting } from '../setting.ts';
import { readFolder } from './bind.ts';
import type { Candidate, Refusal } from './candidate.ts';
import { treeId } from './tree-id.ts';

/** The files of the work tree when the loop began, read by ralphd itself: no trick with git hides a change. */
interface StartTree {
  /** Reads and saves the present files; undefined where they cannot be read. */
  capture(): Promise<JudgedTree | undefined>;
  /** Compares the work with the files of that tree; empty where those are no longer known. */
  compare(candidate: Candidate | undefined, task: Pick<GateTask, 'start' | 'checkWrites'>): StartComparison;
}

/** The differences from the start of the loop. */
export type StartComparison = Pick<GateRun, 'changedFiles' | 'editedTests' | 'warnings'>;

interface ListedFile {
  readonly path: RawPath;
  readonly mode: string;
  readonly id: string;
}

const maxEdited = 200;
const maxNamed = 10;

/** Keeps the list of files at the start of a loop: in memory, and for later owners in a file. */
export function createStartTree(setting: GateSetting): StartTree {
  let known: { readonly id: string; readonly files: readonly ListedFile[] } | undefined;
  const filesOf = ({ id }: JudgedTree): readonly ListedFile[] | undefined => {
    if (known?.id === id) return known.files;
    const files = unpack(setting.startFile?.load());
    // An agent can change the file, but not the id in the journal.
    if (files === undefined || treeId(files) !== id) return undefined;
    known = { id, files };
    return files;
  };
  return {
    async capture() {
      if (!setting.config.iteration.trackFileChanges) return undefined;
      const candidate = await readFolder(setting.workingDirectory, setting);
      if (candidate === undefined) return undefined;
      const files = candidate.files.map(({ path: file, mode, id }) => ({ path: file, mode, id }));
      known = { id: candidate.tree.id, files };
      setting.startFile?.save(pack(files));
      return candidate.tree;
    },
    compare(candidate, { start, checkWrites = [] }) {
      const before = start === undefined ? undefined : filesOf(start);
      if (before === undefined || candidate === undefined) return {};
      return compareFiles(before, candidate, { setting, written: new Set(checkWrites) });
    },
  };
}

interface Comparing {
  readonly setting: GateSetting;
  /** Files written by checks do not count as work. */
  readonly written: ReadonlySet<string>;
}

function compareFiles(
  before: readonly ListedFile[],
  candidate: Candidate,
  { setting, written }: Comparing,
): StartComparison {
  const gone = new Map(before.map((file) => [file.path, file]));
  const created: RawPath[] = [];
  const changed: RawPath[] = [];
  for (const { path: file, mode, id } of candidate.files) {
    const old = gone.get(file);
    gone.delete(file);
    if (old === undefined) created.push(file);
    else if (old.id !== id || old.mode !== mode) changed.push(file);
  }
  const differing = [...changed, ...gone.keys()];
  const isProtected = protectionFor(candidate.top, setting);
  const editedTests = differing.map(toText).filter(isProtected).slice(0, maxEdited);
  const warnings = warningsAbout(candidate, new Set([...created, ...changed].map(toText)));
  return {
    changedFiles: [...differing, ...created].filter((file) => !written.has(toText(file))).length,
    editedTests: editedTests.map((file) => path.relative(prefixOf(candidate.top, setting), file)),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function prefixOf(top: string, { workingDirectory }: GateSetting): string {
  return path.relative(top, realFolder(workingDirectory));
}

/** Protected patterns are relative to the work folder. */
function protectionFor(top: string, setting: GateSetting): (file: string) => boolean {
  const isProtected = createPathMatcher(protectionOf(setting.config.protect).paths);
  const prefix = prefixOf(top, setting);
  return (file) => {
    const inside = path.relative(prefix, file);
    return !inside.startsWith('..') && isProtected(inside);
  };
}

const reasons: Readonly<Record<Refusal['reason'], string>> = {
  link_out: 'a link that leads out of the work tree',
  special: 'neither a file nor a link',
  unreadable: 'unreadable',
  too_large: 'too large to read',
};

/** Warnings about changes that the user would not get with the work. */
function warningsAbout({ top, refused, nested, files }: Candidate, fresh: ReadonlySet<string>): readonly string[] {
  const isFresh = ({ path: file, reason }: Refusal) => reason !== 'link_out' || fresh.has(file);
  const problems = refused.filter(isFresh).map(({ path: file, reason }) => `${file} is ${reasons[reason]}.`);
  const repositories = nested.filter((folder) => [...fresh].some((file) => file.startsWith(`${folder}/`)));
  const dangling = danglingLinks(files, fresh);
  const testMains = [...fresh].filter((file) => hasTestMain(path.join(top, file)));
  return [
    ...problems.slice(0, maxNamed),
    ...(repositories.length === 0 ? [] : [`A nested repository was changed: ${repositories.join(', ')}.`]),
    ...(testMains.length === 0
      ? []
      : [`A new or changed TestMain controls how all tests of its package run: ${testMains.join(', ')}.`]),
    ...(dangling.length === 0
      ? []
      : [`Links point to files that are not part of the work: ${dangling.slice(0, maxNamed).join(', ')}.`]),
  ];
}

/** Go hands the whole run to a TestMain: one that exits by itself runs no test. */
function hasTestMain(file: string): boolean {
  if (!file.endsWith('_test.go')) return false;
  return /^func TestMain\(/m.test(readSmallFile(toRaw(file))?.toString('latin1') ?? '');
}

/** New or changed links whose target is ignored or missing. */
function danglingLinks(files: Candidate['files'], fresh: ReadonlySet<string>): readonly string[] {
  const links = files.filter(({ mode, path: file }) => mode === '120000' && fresh.has(toText(file)));
  if (links.length === 0) return [];
  const paths = files.map(({ path: file }) => file);
  const folders = new Set(paths.flatMap((file) => foldersOf(file)));
  const present = new Set(paths);
  return links
    .filter(({ target, path: file }) => {
      const resolved = target === undefined ? undefined : path.posix.join(path.posix.dirname(file), target);
      return (
        resolved !== undefined &&
        !target?.startsWith('/') &&
        !resolved.startsWith('..') &&
        !present.has(resolved) &&
        !folders.has(resolved)
      );
    })
    .map(({ path: file }) => toText(file));
}

function foldersOf(file: RawPath): readonly RawPath[] {
  const names = file.split('/');
  return names.slice(0, -1).map((_name, index) => names.slice(0, index + 1).join('/'));
}

function pack(files: readonly ListedFile[]): Uint8Array {
  return gzipSync(JSON.stringify(files.map(({ path: file, mode, id }) => [file, mode, id])), { level: 1 });
}

function unpack(bytes: Uint8Array | undefined): readonly ListedFile[] | undefined {
  if (bytes === undefined) return undefined;
  try {
    const rows: unknown = JSON.parse(gunzipSync(bytes).toString());
    if (!Array.isArray(rows)) return undefined;
    return rows.map((row: unknown) => {
      const [file, mode, id] = Array.isArray(row) ? row.map(String) : [];
      return { path: file ?? '', mode: mode ?? '', id: id ?? '' };
    });
  } catch {
    return undefined;
  }
}
