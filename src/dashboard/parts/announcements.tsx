import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Returns a function that announces a text to screen readers, such as "Copied". */
export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}

/** Holds the text that is announced. */
export function Announcements({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="only-read" role="status">
        <span key={said.count}>{said.text}</span>
      </div>
    </AnnounceContext>
  );
}
