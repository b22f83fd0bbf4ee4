import { useEffect } from 'react';

/** Names the page in the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Keyslot`;
  }, [title]);
}
