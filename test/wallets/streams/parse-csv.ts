/** Reads CSV as RFC 4180 says it: records end in CRLF, the last one too; quotes are doubled inside quotes. @throws Error where it is none. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;
  while (FIELD.lastIndex < text.length) {
    const at = FIELD.lastIndex;
    const [, field = '', end] = FIELD.exec(text) ?? [];
    if (end === undefined) throw new Error(`no CSV at character ${at}: ${text.slice(at, at + 40)}`);
    record.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}
