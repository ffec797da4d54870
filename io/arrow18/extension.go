// This file holds what stands for extension types in the metadata of a field.

package arrow18

// Keys of a field's metadata, as files of Arrow IPC have them.
const (
	extensionName       = "ARROW:extension:name"
	extensionParameters = "ARROW:extension:metadata"
)

// without returns keys and values but those of an extension type.
func without(keys, values []string) (outKeys, outValues []string) {
	for i, key := range keys {
		if key != extensionName && key != extensionParameters {
			outKeys, outValues = append(outKeys, key), append(outValues, values[i])
		}
	}
	return outKeys, outValues
}
