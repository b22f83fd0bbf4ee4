import type { FileSink } from './file-sink.ts';

type Picker = (options: { readonly suggestedName: string }) => Promise<{
  readonly createWritable: () => Promise<{
    readonly write: (text: string) => Promise<void>;
    readonly close: () => Promise<void>;
    readonly abort: () => Promise<void>;
  }>;
}>;

/** Hands a text to the browser as a download. */
export function saveFile(name: string, type: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // By then the browser has read the file, which the address would otherwise keep in memory.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * Opens a file that the member chooses, if the browser can write to files; otherwise a download, whose parts the browser may keep
 * outside of memory. Throws the browser's AbortError if the member chooses no file.
 */
export async function openFile(name: string, type: string): Promise<FileSink> {
  const picker = (window as { readonly showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker !== undefined) return await (await picker({ suggestedName: name })).createWritable();
  const parts: Blob[] = [];
  return {
    write: async (text) => void parts.push(new Blob([text])),
    close: async () => saveFile(name, type, parts),
    abort: async () => void parts.splice(0),
  };
}
