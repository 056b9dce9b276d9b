import { failures, LoopError } from '../../base/index.ts';

/** Room for the longest prompt that an API takes, in any script. */
const maxBodyBytes = 512 * 1024;

/** The JSON of a request; refuses more than a bounded number of bytes, whatever the request claims. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(?:;|$)/iu.test(type))
    throw new LoopError(failures.requestInvalid('its Content-Type is not application/json'));
  const bytes = await readBounded(request.body);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new LoopError(failures.requestInvalid('it is not JSON'));
  }
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) throw new LoopError(failures.requestTooLarge('512 KiB'));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
