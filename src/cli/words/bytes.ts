const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size as people write it: `512 bytes`, `1.5 MB`. */
export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  if (step === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / 1000 ** step).toFixed(1)} ${units[step]}`;
}
