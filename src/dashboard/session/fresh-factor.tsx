import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useRef,
  useState,
} from 'react';
import { failureCode } from '../calls/failure-code.ts';
import { NotConfirmedError } from '../parts/not-confirmed.ts';

type FreshCall = <T>(call: () => Promise<T>) => Promise<T>;

const FreshFactorContext = createContext<FreshCall | undefined>(undefined);

const FreshFactorDialog = lazy(async () => ({
  default: (await import('./fresh-factor-dialog.tsx')).FreshFactorDialog,
}));

/**
 * Returns a function that makes a call and, if the call needs a fresh second factor, asks for a code and repeats it. Rejects with
 * NotConfirmedError if the member closes the dialog.
 */
export function useFreshCall(): FreshCall {
  const call = useContext(FreshFactorContext);
  if (call === undefined) throw new Error('useFreshCall needs a signed-in page');
  return call;
}

/** Asks for the second factor of calls that are made with `useFreshCall`. */
export function FreshFactorProvider({ children }: { readonly children: ReactNode }) {
  const [isAsking, setAsking] = useState(false);
  const settle = useRef<(isConfirmed: boolean) => void>(undefined);
  const onSettled = useCallback((isConfirmed: boolean) => {
    setAsking(false);
    settle.current?.(isConfirmed);
    settle.current = undefined;
  }, []);
  const withFreshFactor = useCallback<FreshCall>(async (call) => {
    try {
      return await call();
    } catch (error) {
      if (failureCode(error) !== 'fresh_factor_required') throw error;
    }
    const confirmed = new Promise<boolean>((resolve) => {
      settle.current?.(false);
      settle.current = resolve;
    });
    setAsking(true);
    if (!(await confirmed)) throw new NotConfirmedError('The second factor was not confirmed.');
    return await call();
  }, []);
  return (
    <FreshFactorContext value={withFreshFactor}>
      {children}
      {isAsking && (
        <Suspense>
          <FreshFactorDialog onSettled={onSettled} />
        </Suspense>
      )}
    </FreshFactorContext>
  );
}
