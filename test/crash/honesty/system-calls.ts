import { plain } from './lines.ts';

/** The system calls that `strace -y` traces. */
export const traced =
  'openat,mkdir,mkdirat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,truncate,link,linkat,symlink';

/** What a process did to the files in a folder: the output of `strace -f -y -s 0`, as lines of the recorder. */
export function readSystemCalls(text: string, top: string): readonly string[] {
  const folders = new Set<string>();
  return wholeLines(text).flatMap((line) => {
    const [, name = '', details = ''] = /^\d+ +(\w+)\((.*)\) += \d+/.exec(line) ?? [];
    const paths = [...details.matchAll(/["<]([^">]*)[">]/g)].map(([, place = '']) => place.replace(/\/$/, ''));
    const ours = paths.filter((place) => place.startsWith(`${top}/`) || place === top);
    const [first = ''] = ours;
    if (ours.length === 0) return [];
    const [place = '', other = ''] = ours.map((each) => plain(each.slice(top.length) || '/'));
    switch (name) {
      case 'openat':
        if (details.includes('O_DIRECTORY')) folders.add(first);
        return details.includes('O_CREAT') ? [`create ${place}`] : [];
      case 'mkdir':
        return [`makeFolder ${place}`];
      case 'write':
        return [`write ${place} ${/(\d+)$/.exec(details)?.[1]}`];
      case 'fdatasync':
        return [`syncData ${place}`];
      case 'fsync':
        return [folders.has(first) ? `syncFolder ${place}` : `sync ${place}`];
      case 'rename':
        return [`rename ${place} ${other}`];
      case 'unlink':
        return [`remove ${place}`];
      default:
        return [`${name} ${place}: not a call of the port`];
    }
  });
}

/** Joins the two halves of a call that strace split because of another thread. */
function wholeLines(text: string): readonly string[] {
  const begun = new Map<string, string>();
  return text.split('\n').flatMap((line) => {
    const [, pid = '', start = ''] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (start !== '') {
      begun.set(pid, start);
      return [];
    }
    const [, thread = '', rest = ''] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return thread === '' ? [line] : [`${thread} ${begun.get(thread) ?? ''}${rest}`];
  });
}
