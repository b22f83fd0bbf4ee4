import type { FileTarget } from './target.ts';

type SavePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

declare global {
  interface Window {
    /** Not in every browser. */
    readonly showSaveFilePicker?: SavePicker;
  }
}

/** True if the browser can write to a chosen file line by line (File System Access). */
export function canStreamToDisk(): boolean {
  return savePicker() !== undefined;
}

/**
 * Opens a file that the member chooses, or a download if the browser does not support that.
 * @returns undefined if the member cancelled the choice.
 */
export async function openFileTarget(suggestedName: string): Promise<FileTarget | undefined> {
  const pick = savePicker();
  if (pick === undefined) return openDownload(suggestedName);
  try {
    const handle = await pick({ suggestedName });
    return openOnDisk(await handle.createWritable());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** A file on disk, unchanged if nothing is written. */
function openOnDisk(writable: FileSystemWritableFileStream): FileTarget {
  let isWritten = false;
  return {
    isOnDisk: true,
    write: async (text) => {
      isWritten = true;
      await writable.write(text);
    },
    close: () => (isWritten ? writable.close() : writable.abort()),
  };
}

function savePicker(): SavePicker | undefined {
  return window.showSaveFilePicker?.bind(window);
}

/** Collects lines in a Blob, which the browser may put on the disk, and saves it as a download at the end. */
function openDownload(name: string): FileTarget {
  let parts: Blob[] = [];
  return {
    isOnDisk: false,
    write: async (text) => {
      parts.push(new Blob([text]));
    },
    close: async () => {
      if (parts.length === 0) return;
      const address = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }));
      parts = [];
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      // The download has begun when the click returns; it keeps what it reads.
      setTimeout(() => URL.revokeObjectURL(address));
    },
  };
}
