// memo draws a part again only when one of its values is another.
import { Component, h, type ComponentType, type VNode } from "preact";

export function memo<P extends object>(Part: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P) {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => before[name] !== value);
    }
    override render(): VNode {
      return h(Part as ComponentType<object>, this.props);
    }
  } as unknown as ComponentType<P>;
}
