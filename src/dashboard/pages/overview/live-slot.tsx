import { useEffect, useState } from 'react';
import { watchSlots } from '../../calls/watch-slots.ts';
import { Count } from '../../parts/number.tsx';

/** The slot that a network processes, as it comes. */
export function LiveSlot({ rpcPath }: { readonly rpcPath: string }) {
  const [slot, setSlot] = useState<bigint>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    void watchSlots(rpcPath, {
      onSlot: (current) => {
        setLost(false);
        setSlot(current);
      },
      onLost: () => setLost(true),
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [rpcPath]);
  if (isLost) return <span className="muted">not connected</span>;
  return slot === undefined ? <span className="muted">waiting for a slot</span> : <Count value={slot} />;
}
