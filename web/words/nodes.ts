// The syntax tree of a component, as far as its texts need it.

export interface Node {
  type: string;
  start: number;
  end: number;
  [property: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Calls `visit` for a node and all below it; `false` skips those below it. */
export function walk(
  node: Node,
  visit: (node: Node, parent: Node | null) => unknown,
  parent: Node | null = null,
): void {
  if (visit(node, parent) === false) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'metadata') continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) walk(child, visit, node);
      else if (isFragment(child)) for (const inner of child.nodes) walk(inner, visit, node);
  }
}

function isFragment(value: unknown): value is { nodes: Node[] } {
  return typeof value === 'object' && value !== null && Array.isArray((value as { nodes?: unknown }).nodes);
}

/** Returns the text of a string literal, or null. */
export function literal(node: Node | undefined): string | null {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

/** Returns a name for the value of an expression in a message: "height" for `grouped(block.height)`; "" if it has none. */
export function nameOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
      return String(node.name);
    case 'MemberExpression':
      return node.computed ? nameOf(node.object as Node) : nameOf(node.property as Node);
    case 'CallExpression': {
      const [first] = node.arguments as Node[];
      return (first && nameOf(first)) || nameOf(node.callee as Node);
    }
    case 'ChainExpression':
      return nameOf(node.expression as Node);
    case 'LogicalExpression':
    case 'BinaryExpression':
      return nameOf(node.left as Node) || nameOf(node.right as Node);
    default:
      return '';
  }
}

/** Returns the texts of a template literal, between its values. */
export function quasis(node: Node): string[] {
  return (node.quasis as Node[]).map((part) => (part.value as { cooked: string }).cooked);
}
