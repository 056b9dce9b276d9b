/**
 * Writes at the reader's pace, so that nothing piles up in memory. Resolves with false once the reader is gone, as after
 * `head`.
 */
export async function writePaced(
  stream: Pick<NodeJS.WriteStream, 'write'>,
  chunk: string | Uint8Array,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  stream.write(chunk, (error) => resolve(error === undefined || error === null));
  return await promise;
}
