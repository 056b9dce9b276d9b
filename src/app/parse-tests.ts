import { createTestReportReader, type TestReport } from '../core/index.ts';

/** Reads what a test runner printed, however much that is; nothing when no report is recognised in it. */
export async function parseTests(output: AsyncIterable<Uint8Array>): Promise<TestReport | undefined> {
  const reader = createTestReportReader();
  let head: Uint8Array | undefined = new Uint8Array();
  let decoder = new TextDecoder();
  for await (const chunk of output) {
    const bytes: Uint8Array = head === undefined ? chunk : Buffer.concat([head, chunk]);
    if (head !== undefined && bytes.length < 2) {
      head = bytes;
      continue;
    }
    if (head !== undefined) decoder = new TextDecoder(encodingOf(bytes));
    head = undefined;
    reader.push(decoder.decode(bytes, { stream: true }));
  }
  reader.push(decoder.decode(head));
  return reader.finish();
}

/** PowerShell redirects output as UTF-16, marked by its first two bytes. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
