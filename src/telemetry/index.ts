export { type Cursor, readCursor, writeCursor } from './cursor.ts';
export { readSettings, type TelemetrySettings } from './settings.ts';
export { createTelemetry, type Telemetry } from './telemetry.ts';
