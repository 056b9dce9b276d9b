import { failures, LoopError } from '../../base/index.ts';
import type { PageFiles } from './page-files.ts';
import type { Exchange } from './requests.ts';

/** The page, which shows the address by itself; a file of it; or that there is nothing. */
export function answerPage(files: PageFiles, exchange: Exchange): Response {
  const { path } = exchange.req;
  const isView = /^\/(?:(?:loops|report|numbers)(?:\/.*)?)?$/u.test(path);
  const file = files.get(isView ? '/index.html' : path);
  if (file === undefined) {
    if (isView) return exchange.text(noPage, 200, { 'Cache-Control': 'no-store' });
    throw new LoopError(failures.addressUnknown(path.slice(0, 200)));
  }
  const takesZipped = /\bgzip\b/u.test(exchange.req.header('accept-encoding') ?? '');
  return exchange.body(takesZipped ? file.zipped : file.bytes, 200, {
    'Content-Type': file.type,
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-store',
    Vary: 'Accept-Encoding',
    ...(takesZipped ? { 'Content-Encoding': 'gzip' } : {}),
  });
}

const noPage = 'This build of ralphd has no page; its API is described at /api/openapi.json.\n';
