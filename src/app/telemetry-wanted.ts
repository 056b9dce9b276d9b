/** Whether the variables of OpenTelemetry ask for traces or metrics. What exactly they ask for is read only then. */
export function isTelemetryWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return Object.entries(env).some(([name, value = '']) => value.trim() !== '' && asking.test(name));
}

const asking = /^OTEL_(?:EXPORTER_OTLP_(?:(?:TRACES|METRICS)_)?ENDPOINT|(?:TRACES|METRICS)_EXPORTER)$/;
