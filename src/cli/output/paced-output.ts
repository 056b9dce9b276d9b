/**
 * Writes at the pace of whoever reads, so that nothing piles up in memory. Resolves with false once nobody reads any
 * more, as after `head`.
 */
export async function writePaced(
  stream: Pick<NodeJS.WriteStream, 'write'>,
  chunk: string | Uint8Array,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  stream.write(chunk, (error) => resolve(error === undefined || error === null));
  return await promise;
}
