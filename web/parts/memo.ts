import { type ComponentChild, type FunctionComponent, h, type VNode } from 'preact';
import { useRef } from 'preact/hooks';

/** A component that is drawn again only if one of its properties or its own state has changed. */
export function memo<Props extends object>(draw: (props: Props) => ComponentChild): FunctionComponent<Props> {
  return function Remembered(props: Props) {
    const last = useRef<{ readonly props: Props; readonly node: VNode } | undefined>(undefined);
    if (last.current === undefined || !isSame(last.current.props, props)) {
      last.current = { props, node: h(draw as FunctionComponent, props) };
    }
    // The same node twice is what tells Preact to leave it alone.
    return last.current.node;
  };
}

function isSame<Props extends object>(one: Props, other: Props): boolean {
  const keys = Object.keys(other) as (keyof Props)[];
  return keys.length === Object.keys(one).length && keys.every((key) => Object.is(one[key], other[key]));
}
