import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { walkPages } from '../calls/patiently.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { exportRows, type ExportFormat, isStopped } from './export-rows.ts';
import { Count } from './number.tsx';
import { openFile } from './save-file.ts';

type LongExportProps<P> = {
  readonly formats: readonly ExportFormat[];
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly head: readonly string[];
  readonly read: (
    query: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal,
  ) => Promise<P>;
  readonly rowsOf: (page: P) => readonly object[];
  readonly operation: readonly [tag: string, name: string];
};

const TYPES: Readonly<Record<ExportFormat, string>> = { csv: 'text/csv', jsonl: 'application/jsonl' };
const TITLES: Readonly<Record<ExportFormat, string>> = { csv: 'Download CSV', jsonl: 'Download JSONL' };

/** Saves a whole list of any length to a file: shows the progress, and can be stopped. */
export function LongExport<P extends { readonly next_cursor?: string | undefined }>(
  props: LongExportProps<P>,
) {
  const { formats, name, head, read, rowsOf, operation } = props;
  const [written, setWritten] = useState(0);
  const running = useRef<AbortController>(undefined);
  const save = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const controller = new AbortController();
      running.current = controller;
      setWritten(0);
      try {
        const file = await openFile(`${name}.${format}`, TYPES[format]);
        const pages = walkPages(read, controller.signal);
        await exportRows(file, { pages, rowsOf, head, format, onRows: setWritten });
        return 'saved';
      } catch (error) {
        if (isStopped(error) || controller.signal.aborted) return 'stopped';
        throw error;
      }
    },
  });
  return (
    <div className="export">
      <p className="muted" role="status">
        {save.isPending && (
          <>
            <Count value={written} /> rows written
          </>
        )}
        {save.data === 'stopped' && 'Stopped; no file was written.'}
        {save.data === 'saved' && (
          <>
            <Count value={written} /> rows saved
          </>
        )}
      </p>
      <ErrorNotice error={save.error} operation={operation} />
      <div className="actions">
        {save.isPending ? (
          <Button type="button" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        ) : (
          formats.map((format) => (
            <Button key={format} type="button" onClick={() => save.mutate(format)}>
              {TITLES[format]}
            </Button>
          ))
        )}
      </div>
    </div>
  );
}
