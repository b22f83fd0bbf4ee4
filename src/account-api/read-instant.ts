/**
 * Reads an instant in the form of `Since`; undefined if the calendar does not have it. The pattern lets days and hours pass that do not
 * exist, and Date counts some of them on.
 */
export function readInstant(text: string): Date | undefined {
  const instant = new Date(text);
  const isReal = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text.slice(0, 19));
  return isReal ? instant : undefined;
}
