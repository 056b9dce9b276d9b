import { readlinkSync } from 'node:fs';
import { joinRaw, type RawPath, toBytes } from '../../workspace/index.ts';

const maxHops = 40;

/** The target of a symbolic link; undefined for anything else. */
export function targetOf(link: RawPath): RawPath | undefined {
  try {
    return readlinkSync(toBytes(link), 'buffer').toString('latin1');
  } catch {
    return undefined;
  }
}

/**
 * Whether a link below a folder leads out of it. Links are followed one by one, because `..` after a link goes up from
 * its target; a missing entry counts as a folder.
 */
export function leadsOut(top: RawPath, link: RawPath, target: RawPath): boolean {
  const place = link.split('/').slice(0, -1);
  let pending = target;
  for (let hops = 0; hops <= maxHops; ) {
    if (pending.startsWith('/')) return true;
    const slash = pending.indexOf('/');
    const name = slash === -1 ? pending : pending.slice(0, slash);
    const rest = slash === -1 ? '' : pending.slice(slash + 1).replace(/^\/+/, '');
    pending = rest;
    if (name === '..') {
      if (place.pop() === undefined) return true;
    } else if (name !== '' && name !== '.') {
      const next = targetOf(joinRaw(top, [...place, name].join('/')));
      if (next === undefined) place.push(name);
      else {
        hops += 1;
        pending = rest === '' ? next : `${next}/${rest}`;
      }
    }
    if (pending === '') return false;
  }
  // A cycle leads nowhere.
  return false;
}
