/** A generated message class: what it encodes, and the prototype that has the protocol's default of every field. */
interface Fielded<Shape, Message> {
  readonly prototype: Message;
  encode(message: Shape): unknown;
}

/**
 * Returns all fields of a message as a plain object, with the protocol's default where its sender left a field out. A
 * decoded message has its defaults on its prototype, where neither a spread nor JSON finds them.
 */
export function fieldsOf<Shape extends object, Message extends object>(
  type: Fielded<Shape, Message>,
  message: Shape,
): Message {
  return Object.assign({}, type.prototype, message);
}
